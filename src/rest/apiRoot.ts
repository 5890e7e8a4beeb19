/** The root of the REST paths. `v1` is only part of the path: the version of the product is that of package.json. */
export const apiRoot = '/api/external/v1';
