/** The root of the REST paths. It has the same major version as the OpenAPI document. */
export const apiRoot = '/api/external/v1';
