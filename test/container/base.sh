#!/bin/sh
# Makes the two images that the Dockerfile starts from, where no registry of images can be reached: Debian from its own
# packages, and Node and npm from theirs. Needs root, debootstrap and buildah.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
debian=$folder/debian

debootstrap --variant=minbase bookworm "$debian" >/dev/null
# What the slim images of Debian leave out, too.
rm -rf "$debian"/var/cache/apt/* "$debian"/var/lib/apt/lists/* "$debian"/var/log/* "$debian"/usr/share/doc/* \
  "$debian"/usr/share/man/* "$debian"/usr/share/locale/* "$debian"/usr/share/info/*
tar -C "$debian" -cf "$folder/layer.tar" .

cd "$folder"
npm install --no-audit --no-fund --ignore-scripts "node-linux-$(node -p process.arch)@24" npm@11 >/dev/null

container=$(buildah from scratch)
buildah add "$container" "$folder/layer.tar" / >/dev/null
buildah commit --rm "$container" localhost/goalpost-debian >/dev/null

container=$(buildah from localhost/goalpost-debian)
buildah copy "$container" "node_modules/node-linux-$(node -p process.arch)/bin/node" /usr/local/bin/node >/dev/null
buildah copy "$container" node_modules/npm /usr/local/lib/node_modules/npm >/dev/null
buildah run "$container" ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
buildah commit --rm "$container" localhost/goalpost-node >/dev/null
