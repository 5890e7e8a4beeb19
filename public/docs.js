// The validator and the badge of Swagger UI are a foreign service: off.
window.SwaggerUIBundle({
  url: '/api/external/v1/openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
});
