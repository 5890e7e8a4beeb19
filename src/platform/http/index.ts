export { Overload, refusedFor } from './admission.js';
export { parseJson, parseRequestJson, readJson } from './json.js';
export {
  expectsNothing,
  isLocal,
  isLoopback,
  preconditionHeader,
  type RequestHead,
  readAccept,
  requireAcceptable,
} from './request.js';
export { type CallerContext, type Grants, type RequestContext, requireScopes } from './requestContext.js';
export {
  cachedResponse,
  type HttpResponse,
  isPreflight,
  jsonResponse,
  type LiveBody,
  type Mask,
  masking,
  snakeCase,
  snakeCased,
} from './response.js';
export { type CallersRoute, type Check, callersChecks, checks, type Route, router } from './router.js';
export { contentRoute, healthRoutes, leadsTo, publicRoute } from './routes.js';
export { NodeServer } from './server.js';
