const { token } = JSON.parse(document.getElementById('settings').textContent);

const ui = window.SwaggerUIBundle({
  url: '/api/external/v1/openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  // The validator is a foreign service.
  validatorUrl: null,
  onComplete: () => token && ui.preauthorizeApiKey('token', token),
});
