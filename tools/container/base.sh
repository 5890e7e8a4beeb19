#!/bin/sh
# Makes the two images that the Dockerfile starts from, where no registry of images can be reached: Debian from its own
# packages, and Node and npm from theirs. Needs root, debootstrap and buildah.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

if ! podman image exists localhost/goalpost-debian; then
  debootstrap --variant=minbase bookworm "$folder/debian" >/dev/null
  cd "$folder/debian"
  # What the slim images of Debian leave out, too.
  rm -rf var/cache/apt/* var/lib/apt/lists/* var/log/* usr/share/doc/* usr/share/man/* usr/share/locale/* usr/share/info/*
  tar -cf "$folder/debian.tar" .
  container=$(buildah from scratch)
  buildah add "$container" "$folder/debian.tar" / >/dev/null
  buildah commit --rm "$container" localhost/goalpost-debian >/dev/null
fi

cd "$folder"
node=node-linux-$(node -p process.arch)
npm install --no-audit --no-fund --ignore-scripts "$node@24" npm@11 >/dev/null
container=$(buildah from localhost/goalpost-debian)
buildah copy "$container" "node_modules/$node/bin/node" /usr/local/bin/node >/dev/null
buildah copy "$container" node_modules/npm /usr/local/lib/node_modules/npm >/dev/null
# The certificates that this machine trusts: there may be a proxy before npm's registry.
buildah copy "$container" "${NODE_EXTRA_CA_CERTS:-/etc/ssl/certs/ca-certificates.crt}" /etc/ssl/certs/extra.crt >/dev/null
buildah config --env NODE_EXTRA_CA_CERTS=/etc/ssl/certs/extra.crt "$container"
buildah run --isolation chroot "$container" ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
buildah commit --rm "$container" localhost/goalpost-node >/dev/null
