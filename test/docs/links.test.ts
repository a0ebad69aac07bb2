/**
 * Links between the pages of this repository lead somewhere, headings included, and so do the file
 * names of the map and of the page for contributors; and no page for users has commands that no test
 * reads. Links to other sites are not followed.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(join(repository, path), 'utf8');

const pagesIn = (folder: string): string[] =>
  readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => posix.join(folder, name))
    .filter((path) => path.endsWith('.md') && !/\/(dist|node_modules|fixtures)\//.test(path));

const PAGES = [
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'],
  ...['docs', 'packages', 'examples', 'bench', 'profiles.example'].flatMap(pagesIn),
];

/** Without code, in which brackets mean something else. */
const proseOf = (page: string): string =>
  page
    .replace(/^( *)```.*?^\1```$/gms, '')
    .replace(/`[^`\n]*`/g, (code) => '`'.repeat(code.length));

const linksOf = (page: string): string[] =>
  [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target));

/** As GitHub makes them from headings. */
function anchorsOf(page: string): Set<string> {
  const found = new Set<string>();
  const headings = page.replace(/^( *)```.*?^\1```$/gms, '').matchAll(/^#{1,6} (.*)$/gm);
  for (const [, heading = ''] of headings) {
    const text = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const anchor = text.replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/\s/g, '-');
    let unique = anchor;
    for (let nth = 1; found.has(unique); nth++) unique = `${anchor}-${nth}`;
    found.add(unique);
  }
  return found;
}

test.each(PAGES)('every link of %s leads to a file, and to a heading in it', (page) => {
  const broken = linksOf(read(page)).filter((target) => {
    const [path = '', anchor] = target.split('#');
    const file = path === '' ? page : posix.join(posix.dirname(page), path);
    if (!existsSync(join(repository, file))) return true;
    if (anchor === undefined) return false;
    return !file.endsWith('.md') || !anchorsOf(read(file)).has(anchor);
  });
  expect(broken).toEqual([]);
});

/** `<verb>` and its like stand for names of the reader's own. */
const filesNamedIn = (page: string): string[] =>
  [...page.matchAll(/`((?:packages|test|scripts|docs|examples|bench)\/[^`\s<>*]*)`/g)].map(
    ([, path = '']) => path,
  );

test.each(['docs/concepts.md', 'CONTRIBUTING.md'])('every file that %s names is there', (page) => {
  const named = filesNamedIn(read(page));
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((path) => !existsSync(join(repository, path)))).toEqual([]);
});

/** `` `name` in `file` ``, and `` `one` and `other` in `file` ``. */
const namesPlacedIn = (page: string): { name: string; file: string }[] =>
  [
    ...page.matchAll(/((?:`[\w.]+`(?:, | and ))*`[\w.]+`) (?:is )?in `([\w./-]+\.(?:ts|mjs|js))`/g),
  ].flatMap(([, names = '', file = '']) =>
    [...names.matchAll(/`([\w.]+)`/g)].map(([, name = '']) => ({ name, file })),
  );

test.each(['docs/concepts.md', 'CONTRIBUTING.md'])(
  'every name that %s looks for in a file is in it',
  (page) => {
    const placed = namesPlacedIn(read(page));
    expect(placed.length).toBeGreaterThan(5);
    const lost = placed.filter(({ name, file }) => {
      const word = name.split('.').at(-1) ?? name;
      return !new RegExp(`\\b${word}\\b`).test(read(file));
    });
    expect(lost).toEqual([]);
  },
);

const TESTS = readdirSync(join(repository, 'test/docs'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts') && name !== 'links.test.ts')
  .map((name) => read(posix.join('test/docs', name)));

/** Contributors' own commands (tests, builds) are what runs this. */
const COMMANDS = ['README.md', ...pagesIn('docs')].filter((page) => /^```sh$/m.test(read(page)));

test.each(COMMANDS)('the commands of %s are read by a test', (page) => {
  const name = posix.basename(page);
  const named = name === 'README.md' ? page : name;
  expect(TESTS.filter((text) => text.includes(named))).not.toEqual([]);
});
