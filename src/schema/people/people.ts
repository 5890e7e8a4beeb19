import { connectionType } from '../connections.js';
import { Person } from './person.js';

export const PersonConnection = connectionType('Person', Person, 'A page of people, sorted by name.');
