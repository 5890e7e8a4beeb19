# The gateway without the embedded PostgreSQL. Both images can be replaced; the first needs Node in /usr/local/bin, and npm.
ARG NODE_IMAGE=docker.io/library/node:24-bookworm-slim
ARG RUNTIME_IMAGE=docker.io/library/debian:bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
COPY test/client/package.json test/client/
RUN npm ci --ignore-scripts
COPY tsconfig.json prisma.config.ts ./
COPY prisma prisma
COPY src src
COPY tools/build tools/build
COPY README.md openapi.json ./
COPY docs docs
RUN npm run build

FROM ${RUNTIME_IMAGE}
WORKDIR /goalpost
COPY --from=build /usr/local/bin/node /usr/local/bin/
COPY --from=build /build/package.json ./
COPY --from=build /build/prisma/migrations prisma/migrations
COPY --from=build /build/prisma/roles.sql prisma/
COPY --from=build /build/dist dist
COPY --from=build /build/node_modules/graphql node_modules/graphql
ENV NODE_ENV=production HOST=0.0.0.0
# A number, so that Kubernetes can see that it is not root. The gateway writes no file.
USER 10001:10001
EXPOSE 4000
# Whether the process is alive. Whoever restarts what is unhealthy must not do so because the database is down: /readyz is
# for load balancers.
HEALTHCHECK --interval=10s --timeout=6s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 4000}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Node itself is process 1 and gets the signals.
ENTRYPOINT ["node", "dist/main.js"]
CMD ["serve"]
