// @ts-nocheck
/**
 * What a profile has held back and has in hand, as parts of the page. When it is read, and whether names
 * are told, is `details.js`.
 */
import { element, isolated, visible } from './text.js';

export const NEWEST = 5;

/** A document of `/v1/refusals`, of one profile. */
export function refusalsOf({ refused, refusals, profiles, people }) {
  const [profile] = profiles;
  const doors = profile?.doors.map((one) => `${visible(one.door)} ${one.refused}`) ?? [];
  if (profile?.other_doors > 0) doors.push(`other doors ${profile.other_doors}`);
  const made = [paragraph(doors.length === 0 ? 'No receipt of a refusal.' : doors.join(' · '))];
  const item = people === 'told' ? refusalItem : refusalOfSomebody;
  if (refusals.length > 0) made.push(listOf(refusals.slice(0, NEWEST).map(item)));
  const left = refused - Math.min(NEWEST, refusals.length);
  if (left > 0) made.push(paragraph(`and ${left} before these.`));
  if (refusals.length > 0 && people !== 'told') made.push(paragraph(SOMEBODY));
  if (profile?.cut) made.push(paragraph('There are older ones that were not read.'));
  if (profile?.corrupt > 0) made.push(warning(`Lines that are no receipts: ${profile.corrupt}.`));
  if (profile?.unreadable != null) {
    made.push(warning(`There may be more: ${visible(profile.unreadable)}`));
  }
  return made;
}

function refusalItem({ at, door, principal }) {
  const who = principal === null ? 'nobody known by name' : visible(principal);
  return itemOf(at, visible(door), who);
}

const refusalOfSomebody = ({ at, door }) => itemOf(at, visible(door), '');

const SOMEBODY = 'For somebody (names only with the token).';

const FATES = {
  running: 'running',
  unproven: 'unproven: its gateway is silent, and it counts as running',
  abandoned: 'abandoned: its process is gone',
};

/** A document of `/v1/profiles/NAME`. */
export function workOf({ work }) {
  const { counts, read: seen, newest, unreadable, people } = work;
  const made = [];
  if (counts === null) made.push(warning(`Not all of it is known. Read: ${seen}.`));
  else made.push(paragraph(countsText(counts)));
  if (newest.length > 0) made.push(listOf(newest.slice(0, NEWEST).map(workItem)));
  const left = seen - Math.min(NEWEST, newest.length);
  if (left > 0) made.push(paragraph(`and ${left} more.`));
  if (newest.length > 0 && people !== 'told') made.push(paragraph(SOMEBODY));
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
  const where = door ?? 'a door that cannot be read';
  const what = visible(id === null ? where : `${where} ${id}`);
  const who = principal === null ? [] : [`for ${visible(principal)}`];
  return itemOf(since, what, [...who, ...(fate === 'running' ? [] : [fate])].join(', '));
}

function itemOf(at, what, more) {
  const made = element('li');
  const date = new Date(at);
  const isTime = at !== null && !Number.isNaN(date.getTime());
  const time = element('time', isTime ? date.toLocaleString() : 'at a time that is not known');
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
