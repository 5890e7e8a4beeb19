const { url, root, token, requests } = JSON.parse(document.getElementById('settings').textContent);

/** Puts requests into the OpenAPI document that work on the demo workspace as it is now. */
function withRequests(response) {
  if (!response.url.endsWith('/openapi.json')) return response;
  const api = JSON.parse(response.text);
  for (const { path, body } of requests) {
    api.paths[path.slice(root.length)].post.requestBody.content['application/json'].example = body;
  }
  response.text = JSON.stringify(api);
  return response;
}

const ui = window.SwaggerUIBundle({
  url,
  dom_id: '#docs',
  deepLinking: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  // The validator is a third-party service.
  validatorUrl: null,
  responseInterceptor: withRequests,
  onComplete: () => token && ui.preauthorizeApiKey('token', token),
});
