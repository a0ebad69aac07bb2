// @ts-nocheck
/**
 * Renders a profile's refusals and work in hand.
 * Reading them, and access to names, is `details.js`.
 */
import { element, isolated, visible } from './text.js';

export const NEWEST = 5;

/** From a document of `/v1/refusals` for one profile. */
export function refusalsOf({ refused, refusals, profiles, people }) {
  const [profile] = profiles;
  const doors = profile?.doors.map((one) => `${visible(one.door)} ${one.refused}`) ?? [];
  if (profile?.other_doors > 0) doors.push(`other doors ${profile.other_doors}`);
  const made = [paragraph(doors.length === 0 ? 'No refusal on record.' : doors.join(' · '))];
  const item = people === 'told' ? refusalItem : refusalItemWithoutName;
  if (refusals.length > 0) made.push(listOf(refusals.slice(0, NEWEST).map(item)));
  const left = refused - Math.min(NEWEST, refusals.length);
  if (left > 0) made.push(paragraph(`and ${left} older ones.`));
  if (refusals.length > 0 && people !== 'told') made.push(paragraph(NAMES_WITHHELD));
  if (profile?.cut) made.push(paragraph('Older ones exist and were not read.'));
  if (profile?.corrupt > 0) made.push(warning(`Lines that are not receipts: ${profile.corrupt}.`));
  if (profile?.unreadable != null) {
    made.push(warning(`There may be more: ${visible(profile.unreadable)}`));
  }
  return made;
}

function refusalItem({ at, door, principal }) {
  const who = principal === null ? 'unknown principal' : visible(principal);
  return itemOf(at, visible(door), who);
}

const refusalItemWithoutName = ({ at, door }) => itemOf(at, visible(door), '');

const NAMES_WITHHELD = 'Names are only shown with the token.';

const FATES = {
  running: 'running',
  unproven: 'unproven: its gateway is silent, and it counts as running',
  abandoned: 'abandoned: its process is gone',
};

/** From a document of `/v1/profiles/NAME`. */
export function workOf({ work }) {
  const { counts, read: seen, newest, unreadable, people } = work;
  const made = [];
  if (counts === null) made.push(warning(`Not everything could be read. Read: ${seen}.`));
  else made.push(paragraph(countsText(counts)));
  if (newest.length > 0) made.push(listOf(newest.slice(0, NEWEST).map(workItem)));
  const left = seen - Math.min(NEWEST, newest.length);
  if (left > 0) made.push(paragraph(`and ${left} more.`));
  if (newest.length > 0 && people !== 'told') made.push(paragraph(NAMES_WITHHELD));
  for (const { path, why } of unreadable) {
    made.push(warning(`Cannot be read: ${visible(path)} (${visible(why)})`));
  }
  return made;
}

function countsText(counts) {
  const some = Object.keys(FATES).filter((fate) => counts[fate] > 0);
  return some.length === 0
    ? 'Nothing.'
    : some.map((fate) => `${counts[fate]} ${FATES[fate]}`).join(' · ');
}

function workItem({ since, door, id, principal, fate }) {
  const where = door ?? 'an unreadable door';
  const what = visible(id === null ? where : `${where} ${id}`);
  const who = principal === null ? [] : [`for ${visible(principal)}`];
  return itemOf(since, what, [...who, ...(fate === 'running' ? [] : [fate])].join(', '));
}

function itemOf(at, what, more) {
  const made = element('li');
  const date = new Date(at);
  const isTime = at !== null && !Number.isNaN(date.getTime());
  const time = element('time', isTime ? date.toLocaleString() : 'at an unknown time');
  if (isTime) time.dateTime = date.toISOString();
  made.append(time, ' ', isolated(what));
  if (more !== '') made.append(' · ', isolated(more));
  return made;
}

function listOf(items) {
  const made = element('ol');
  made.append(...items);
  return made;
}

function paragraph(text) {
  const made = element('p');
  made.append(isolated(text));
  return made;
}

function warning(text) {
  const made = paragraph(text);
  made.className = 'behind';
  return made;
}
