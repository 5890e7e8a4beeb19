export { Overload } from './admission.js';
export { requireScopes } from './grants.js';
export { JsonError, parseJson, parseRequestJson, readJson } from './json.js';
export { expectsNothing, preconditionHeader } from './preconditions.js';
export { isLocal, isLoopback, type RequestHead, readAccept, requireAcceptable } from './request.js';
export {
  cachedResponse,
  type HttpResponse,
  jsonResponse,
  type LiveBody,
  type Mask,
  masking,
  snakeCase,
  snakeCased,
} from './response.js';
export { type Check, checks, type Handler, type RequestContext, type Route, router } from './router.js';
export { contentRoute, healthRoutes, leadsTo, publicRoute } from './routes.js';
export { NodeServer } from './server.js';
