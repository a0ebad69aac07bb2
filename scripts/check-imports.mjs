/**
 * Fails when an import runs against the arrows between rooms.
 * Unused and undeclared packages are knip's affair, import cycles biome's.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, posix } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import ts from 'typescript';

const core = 'packages/sentinel-core/src';
const watcher = 'packages/watcher/src';
const cli = 'packages/fleet-cli/src';
const verbs = readdirSync(fileURLToPath(new URL(`../${cli}/verbs`, import.meta.url)));

/**
 * The first room whose path begins a file's path is that file's room. `may` lists what it may
 * import beside itself: paths from the root of the repository (a folder ends in a slash),
 * packages by name, and `node:` for Node's own modules. `mayType` is the same for `import type`.
 * @typedef {{ room: string, may: readonly string[], mayType?: readonly string[] }} Room
 * @type {readonly Room[]}
 */
export const rooms = [
  { room: `${core}/model/`, may: [] },
  { room: `${core}/decide/`, may: [`${core}/model/`] },
  { room: `${core}/files/`, may: [`${core}/model/`, 'node:'] },
  { room: `${core}/process/`, may: [`${core}/model/`, `${core}/files/`, 'node:'] },
  {
    room: `${core}/disk/`,
    may: [`${core}/model/`, `${core}/files/`, `${core}/process/`, 'node:'],
  },
  { room: `${core}/watch/`, may: [`${core}/files/`, `${core}/disk/names.ts`, 'node:'] },
  {
    room: `${core}/fleet/`,
    may: [`${core}/model/`, `${core}/files/errno.ts`, `${core}/errors.ts`, 'node:'],
  },
  {
    room: `${core}/missed/`,
    may: [`${core}/model/`, `${core}/files/`, 'node:'],
  },
  // Where what is decided and what is on disk meet.
  {
    room: `${core}/ask/`,
    may: [
      `${core}/model/`,
      `${core}/decide/`,
      `${core}/files/`,
      `${core}/disk/`,
      `${core}/fleet/`,
      `${core}/errors.ts`,
    ],
  },
  { room: `${core}/errors.ts`, may: [] },
  { room: `${core}/index.ts`, may: [`${core}/`] },
  { room: `${cli}/text/`, may: ['@fleet-estop/sentinel-core', 'node:'] },
  {
    room: `${cli}/cli/`,
    may: [`${cli}/text/`, '@fleet-estop/sentinel-core', 'commander', 'node:'],
  },
  {
    room: `${cli}/fleet/`,
    may: [
      `${cli}/text/`,
      `${cli}/cli/`,
      '@fleet-estop/sentinel-core',
      '@fleet-estop/settings',
      'commander',
      'node:',
    ],
    mayType: ['@fleet-estop/ledger'],
  },
  {
    room: `${cli}/dry-run/`,
    may: [`${cli}/text/`, `${cli}/fleet/`, '@fleet-estop/sentinel-core', 'node:'],
  },
  {
    room: `${cli}/child/`,
    may: [`${cli}/text/`, `${cli}/cli/`, '@fleet-estop/sentinel-core', 'node:'],
  },
  {
    room: `${cli}/watcher-client/`,
    may: [
      `${cli}/text/`,
      `${cli}/cli/`,
      `${cli}/fleet/`,
      '@fleet-estop/sentinel-core',
      '@fleet-estop/protocol',
      'eventsource-parser',
      'node:',
    ],
    mayType: ['@fleet-estop/watcher'],
  },
  // Placing holds, for every verb that pauses.
  {
    room: `${cli}/pausing/`,
    may: [
      ...['text', 'cli', 'fleet', 'dry-run'].map((room) => `${cli}/${room}/`),
      '@fleet-estop/sentinel-core',
      '@fleet-estop/settings',
    ],
  },
  // Waiting until nothing is in hand any more.
  {
    room: `${cli}/drain/`,
    may: [
      ...['text', 'cli', 'fleet', 'watcher-client'].map((room) => `${cli}/${room}/`),
      '@fleet-estop/sentinel-core',
      '@fleet-estop/ledger',
      'node:',
    ],
  },
  // A hold that one run places, renews and lifts.
  {
    room: `${cli}/own-hold/`,
    may: [
      ...['text', 'cli', 'fleet'].map((room) => `${cli}/${room}/`),
      '@fleet-estop/sentinel-core',
      'node:',
    ],
  },
  // A verb knows no other verb.
  ...verbs.map((verb) => ({
    room: `${cli}/verbs/${verb}/`,
    may: [
      ...[
        ...['text', 'cli', 'fleet', 'dry-run', 'child', 'pausing', 'own-hold'],
        ...['watcher-client', 'drain'],
      ].map((room) => `${cli}/${room}/`),
      '@fleet-estop/sentinel-core',
      '@fleet-estop/settings',
      '@fleet-estop/watcher',
      '@fleet-estop/ledger',
      '@fleet-estop/protocol',
      'commander',
      'node:',
    ],
  })),
  {
    room: `${cli}/completion/`,
    may: [
      `${cli}/program.ts`,
      `${cli}/verb-table.ts`,
      ...['text', 'cli', 'fleet', 'watcher-client'].map((room) => `${cli}/${room}/`),
      '@fleet-estop/protocol',
      '@fleet-estop/sentinel-core',
      'commander',
      'node:',
    ],
  },
  { room: `${cli}/`, may: ['@fleet-estop/sentinel-core', 'commander', 'node:'] },
  {
    room: 'packages/ledger/src/',
    may: ['@fleet-estop/sentinel-core', 'node:'],
  },
  // Runs in the author's tests, and sees a gateway only as its adapter shows it.
  {
    room: 'packages/gateway/src/kit/',
    may: ['@fleet-estop/sentinel-core', '@fleet-estop/ledger', '@fleet-estop/protocol', 'node:'],
    mayType: ['packages/gateway/src/gate/'],
  },
  // What programs say to each other pulls in none of them, and zod only for those that ask for it.
  { room: 'packages/protocol/src/schemas/', may: ['packages/protocol/src/event-types.ts', 'zod'] },
  { room: 'packages/protocol/src/', may: [], mayType: ['zod'] },
  // What authors embed: nothing of the daemon, and none of its packages.
  {
    room: 'packages/gateway/src/',
    may: ['@fleet-estop/sentinel-core', '@fleet-estop/protocol', '@fleet-estop/ledger', 'node:'],
  },
  {
    room: 'examples/sample-gateway/src/',
    may: ['@fleet-estop/gateway', 'croner', 'node:'],
  },
  // Rooms of the watcher know of each other only what the state is; they meet in its own folder.
  {
    room: `${watcher}/observe/`,
    may: ['@fleet-estop/sentinel-core', '@fleet-estop/settings', 'chokidar', 'node:'],
    mayType: [`${watcher}/state/`, '@fleet-estop/protocol'],
  },
  {
    room: `${watcher}/instance/`,
    may: [
      `${watcher}/as-owner-of.ts`,
      `${watcher}/socket-name.ts`,
      '@fleet-estop/sentinel-core',
      '@fleet-estop/protocol',
      'node:',
    ],
  },
  {
    room: `${watcher}/state/`,
    may: ['@fleet-estop/sentinel-core', 'node:'],
    mayType: ['@fleet-estop/protocol'],
  },
  {
    room: `${watcher}/push/`,
    may: [`${watcher}/state/`, '@fleet-estop/sentinel-core', '@fleet-estop/protocol', 'node:'],
  },
  {
    room: `${watcher}/webhooks/`,
    may: [
      `${watcher}/state/`,
      '@fleet-estop/protocol',
      '@fleet-estop/sentinel-core',
      '@fleet-estop/settings',
      'prom-client',
      'standardwebhooks',
      'p-retry',
      'node:',
    ],
  },
  {
    room: `${watcher}/serve/`,
    may: [
      `${watcher}/as-owner-of.ts`,
      `${watcher}/socket-name.ts`,
      `${watcher}/state/`,
      '@fleet-estop/ledger',
      `${watcher}/dashboard/`,
      '@fleet-estop/sentinel-core',
      '@fleet-estop/settings',
      '@fleet-estop/protocol',
      '@fleet-estop/protocol/schemas',
      'hono',
      'hono/',
      '@hono/node-server',
      'prom-client',
      'node:',
    ],
  },
  // What runs in a browser has nothing but itself.
  { room: `${watcher}/dashboard/page/`, may: [] },
  { room: `${watcher}/dashboard/`, may: ['node:'] },
  {
    room: `${watcher}/`,
    may: [
      '@fleet-estop/ledger',
      '@fleet-estop/sentinel-core',
      '@fleet-estop/settings',
      '@fleet-estop/protocol',
      'pino',
      'node:',
    ],
  },
  {
    room: 'packages/settings/src/parse/',
    may: ['packages/settings/src/', '@fleet-estop/sentinel-core', 'yaml', 'zod'],
  },
  // Without `yaml` and `zod`: a fleet that has no settings must not pay for them.
  { room: 'packages/settings/src/', may: ['@fleet-estop/sentinel-core', 'node:'] },
];

/**
 * @typedef {{ specifier: string, line: number, typeOnly: boolean }} Import
 * @typedef {{ file: string, line: number, specifier: string, why: string }} Violation
 */

/**
 * Every import that `file`, a path from the root of the repository, must not make.
 * @param {string} file
 * @param {string} text
 * @returns {Violation[]}
 */
export function violations(file, text) {
  const room = rooms.find((candidate) => file.startsWith(candidate.room));
  if (room === undefined && /^(packages|examples)\/[^/]+\/src\//.test(file)) {
    const why = 'this folder has no row in the table of rooms';
    return [{ file, line: 1, specifier: '', why }];
  }
  return importsOf(file, text).flatMap((found) => {
    const target = resolveSpecifier(file, found.specifier);
    const why = crossesPackages(file, target) ?? outOfRoom(room, found, target);
    return why === undefined ? [] : [{ file, line: found.line, specifier: found.specifier, why }];
  });
}

/**
 * Another package is reached by its name, never by a path into it; and nothing imports the CLI.
 * @param {string} file
 * @param {string} target
 */
function crossesPackages(file, target) {
  const [home, there] = [file, target].map(
    (path) => /^(?:packages|examples)\/[^/]+\//.exec(path)?.[0],
  );
  if (there !== undefined && there !== home) return 'import that package by its name';
  if (target.startsWith('@fleet-estop/fleet-cli')) return 'nothing imports the command line';
  return undefined;
}

/**
 * @param {Room | undefined} room
 * @param {Import} found
 * @param {string} target
 */
function outOfRoom(room, found, target) {
  if (room === undefined || target.startsWith(room.room)) return undefined;
  const allowed = found.typeOnly ? [...room.may, ...(room.mayType ?? [])] : room.may;
  if (allowed.some((path) => reaches(path, target))) return undefined;
  if (room.mayType?.some((path) => reaches(path, target))) {
    return `${room.room} may import only types from there`;
  }
  return `${room.room} may import only ${['itself', ...room.may, ...(room.mayType ?? [])].join(', ')}`;
}

/**
 * @param {string} path
 * @param {string} target
 */
function reaches(path, target) {
  return target === path || (/[/:]$/.test(path) && target.startsWith(path));
}

/**
 * @param {string} file
 * @param {string} specifier
 */
function resolveSpecifier(file, specifier) {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(file), specifier);
  return isBuiltin(specifier) && !specifier.startsWith('node:') ? `node:${specifier}` : specifier;
}

/**
 * @param {string} file
 * @param {string} text
 * @returns {Import[]}
 */
export function importsOf(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  /** @type {Import[]} */
  const found = [];
  /** @param {ts.Node} node @param {ts.Node | undefined} specifier @param {boolean} typeOnly */
  const add = (node, specifier, typeOnly) => {
    if (specifier === undefined || !ts.isStringLiteralLike(specifier)) return;
    const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
    found.push({ specifier: specifier.text, line, typeOnly });
  };
  /** @param {ts.Node} node */
  const visit = (node) => {
    if (ts.isImportDeclaration(node)) {
      const typeOnly = node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
      add(node, node.moduleSpecifier, typeOnly);
    } else if (ts.isExportDeclaration(node)) {
      add(node, node.moduleSpecifier, node.isTypeOnly);
    } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      add(node, node.argument.literal, true);
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      add(node, node.arguments[0], false);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** @param {string} root */
function sourceFiles(root) {
  const folders = ['packages', 'examples', 'test', 'bench', 'scripts'];
  return folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .map((name) => posix.join(folder, name))
        .filter((path) => /\.(ts|mjs|js)$/.test(path) && !/\/(dist|node_modules)\//.test(path)),
    );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const files = sourceFiles(root);
  const found = files.flatMap((file) => violations(file, readFileSync(join(root, file), 'utf8')));
  for (const { file, line, specifier, why } of found) {
    process.stderr.write(`${file}:${line}: \`${specifier}\` is forbidden: ${why}\n`);
  }
  process.stdout.write(`${files.length} files, ${found.length} forbidden imports\n`);
  process.exitCode = found.length === 0 ? 0 : 1;
}
