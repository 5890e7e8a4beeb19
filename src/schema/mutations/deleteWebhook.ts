import { deleteWebhook } from '../../operations/deleteWebhook.js';
import { builder } from '../builder.js';

const DeleteWebhookInput = builder.inputType('DeleteWebhookInput', {
  description: 'The input of `deleteWebhook`.',
  fields: (t) => ({ id: t.id({ required: true, description: 'The ID of the webhook.' }) }),
});

const DeleteWebhookPayload = builder.objectRef<{ id: string }>('DeleteWebhookPayload').implement({
  description: 'The result of `deleteWebhook`.',
  fields: (t) => ({ id: t.exposeID('id', { description: 'The ID of the deleted webhook.' }) }),
});

builder.mutationField('deleteWebhook', (t) =>
  t.field({
    type: DeleteWebhookPayload,
    description:
      'Deletes a webhook and its log of attempts. Requires an owner of the company. Errors: OWNER_REQUIRED, NOT_FOUND.',
    args: { input: t.arg({ type: DeleteWebhookInput, required: true, description: 'The webhook to delete.' }) },
    resolve: (_root, { input }, context) => deleteWebhook(context, input),
  }),
);
