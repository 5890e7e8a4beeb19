/** Where the REST facade lives; its major version is that of the OpenAPI document. */
export const apiRoot = '/api/external/v1';
