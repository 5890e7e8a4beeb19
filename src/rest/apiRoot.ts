/** The root of the REST paths. `v1` is part of the path only: the version of the product is that of package.json. */
export const apiRoot = '/api/external/v1';
