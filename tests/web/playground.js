/* The playground in Chromium, from the disk: node playground.js PLAYWRIGHT PAGE MECH SCREENSHOTS. Ends with 1 where something is wrong. */
'use strict';
const { chromium } = require(process.argv[2]), fs = require('fs'), path = require('path'), os = require('os'), { execFileSync } = require('child_process');
const [file, mech, shots] = process.argv.slice(3).map(p => path.resolve(p));
const ENDLESS = "coord x\nkinetic x'^2/2\npotential 50*x^2\ninitial x = 1\nsimulate until 1e7\n";
let wrong = 0;
const check = (claim, words) => { if (!claim) { wrong++; console.error('not true:', words); } };
(async () => {
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  const context = await browser.newContext({ viewport: { width: 1300, height: 850 }, acceptDownloads: true, offline: true }), page = await context.newPage();
  page.on('pageerror', e => check(false, e.message));
  page.on('console', m => check(m.type() !== 'error', m.text()));
  page.on('request', r => check(/^(file|data|blob):/.test(r.url()), `asks for ${r.url()}`));
  const result = async () => { await page.waitForFunction(() => window.playground, null, { timeout: 60000 }); return page.evaluate(() => window.playground); };
  const press = async name => { await page.click(`#commands button:text-is("${name}")`); return result(); };
  const write = text => page.fill('#field', text);
  const inside = async () => { const frame = await (await page.$('#frame')).contentFrame(); await frame.waitForLoadState(); return frame; };
  const command = words => execFileSync(mech, words, { cwd: work, encoding: 'utf8' }), work = fs.mkdtempSync(path.join(os.tmpdir(), 'mech-page-'));
  const kept = async name => { const [download] = await Promise.all([page.waitForEvent('download'), page.click(`#files a:text-is("${name}")`)]); return fs.readFileSync(await download.path(), 'utf8'); };

  /* it opens, runs the first example by itself, and soon */
  await page.goto('file://' + file);
  const first = await result();
  check(first.code === 0 && first.since < 3000, `the first result after ${first.since} ms, exit code ${first.code}`);
  console.log(`first result after ${Math.round(first.since)} ms`);
  const hoop = fs.readFileSync('examples/hoop-on-cylinder/model.mech', 'utf8');
  fs.writeFileSync(path.join(work, 'model.mech'), hoop);
  check(await page.inputValue('#field') === hoop, 'the example is in the editor');
  check(first.out === command(['run', 'model.mech', '--animate', 'motion.html']), 'run says what the command says');
  const numbers = text => text.trim().split('\n').slice(1).flatMap(row => row.split(',').map(Number));
  const ours = numbers(await kept('model.csv')), theirs = numbers(fs.readFileSync(path.join(work, 'model.csv'), 'utf8'));
  check(ours.length === theirs.length && ours.every((x, k) => Math.abs(x - theirs[k]) <= 1e-9 * (1 + Math.abs(x))), 'the rows are those of the command');
  check((await page.locator('#copy .keyword').first().textContent()) === 'param', 'words of the language are coloured');

  /* the picture moves, by the bar and by keys */
  let frame = await inside();
  const pixels = () => frame.evaluate(() => document.getElementById('stage').toDataURL());
  const still = await pixels();
  await frame.locator('h1').click();
  await page.keyboard.press('End');
  check(await pixels() !== still, 'the picture does not move');
  check((await frame.evaluate(() => window.report.state())).time === 3, 'End goes to t = 3');
  check(await frame.locator('svg.figure').count() > 0, 'figures');
  await page.screenshot({ path: path.join(shots, 'playground-run.png') });

  /* the other commands */
  for (const name of ['check', 'eval', 'stability']) {
    let want = '';
    try { want = command([name, 'model.mech']); } catch (e) { want = e.stdout; }
    check((await press(name)).out === want, `${name} says what the command says`);
  }
  await press('derive');
  frame = await inside();
  check(await frame.locator('math').count() > 3, 'derive shows typeset equations');
  await page.screenshot({ path: path.join(shots, 'playground-derive.png') });
  await press('report');
  check((await kept('report.html')).startsWith('<!DOCTYPE html>'), 'the report can be kept');
  frame = await inside();
  await frame.locator('nav a').last().click(); /* a link within the page stays within the page */
  check(await frame.locator('nav a').count() > 3, 'links of the report');

  /* errors stand under their line, while one writes */
  await write(hoop.replace('cos(theta)', 'cos(teta)'));
  await page.waitForSelector('.said.error');
  const line = hoop.split('\n').findIndex(l => l.includes('cos(theta)')) + 1, note = page.locator('.said.error').first();
  check(Number(await note.getAttribute('data-line')) === line && (await note.textContent()).includes("unknown name 'teta'"), 'the error is under its line');
  const [box, row] = [await note.boundingBox(), await page.locator(`#copy div:nth-child(${line})`).boundingBox()];
  check(Math.abs(box.y - row.y - row.height) < 3, `the error stands ${box.y - row.y} below its line`);
  check((await page.locator('#errors').innerText()).startsWith(`${line}:`), 'the list of errors');
  await page.screenshot({ path: path.join(shots, 'playground-error.png') });

  /* keys alone: from the field by Ctrl+Enter */
  await write(hoop);
  await page.fill('#options', '--until 1 --set R=2');
  await page.focus('#field');
  await press('run');
  await page.focus('#field');
  await page.evaluate(() => { delete window.playground; });
  await page.keyboard.press('Control+Enter');
  check((await result()).out === command(['run', 'model.mech', '--animate', 'motion.html', '--until', '1', '--set', 'R=2']), 'options and Ctrl+Enter');

  /* a link holds model and options */
  await page.click('#share');
  await page.waitForFunction(() => location.hash.length > 20);
  const address = page.url(), other = await context.newPage();
  await other.goto(address);
  await other.waitForFunction(() => window.playground);
  check(await other.inputValue('#field') === hoop && await other.inputValue('#options') === '--until 1 --set R=2', 'the model in the link');
  await other.goto('file://' + file + '#not-a-model');
  await other.reload();
  await other.waitForFunction(() => window.playground);
  check(await other.inputValue('#field') === hoop, 'a broken link opens the first example');
  await other.close();

  /* what does not end is ended, by hand and by the clock; afterwards all works */
  await page.fill('#options', '');
  await write(ENDLESS);
  await page.click('#commands button:text-is("run")');
  await page.waitForTimeout(300);
  await page.keyboard.press('Escape');
  check((await result()).code === 'stopped', 'Escape stops');
  await page.selectOption('#limit', '5');
  const late = await press('run');
  check(late.code === 'stopped', `the limit stops: ${late.code} ${late.err}`);
  await write(hoop);
  check((await press('check')).code === 0, 'works after a stop');

  /* in space, in the dark, from the menu */
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.evaluate(() => { delete window.playground; });
  await page.selectOption('#examples', { label: 'heavy-top' });
  check((await result()).code === 0, 'an example of the menu');
  frame = await inside();
  await frame.waitForSelector('svg.figure .cursor', { state: 'attached' });
  await frame.evaluate(() => new Promise(done => setTimeout(done, 800)));
  await page.screenshot({ path: path.join(shots, 'playground-dark.png') });
  check(!(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)), 'wider than the window');
  await browser.close();
  fs.rmSync(work, { recursive: true });
  process.exit(wrong ? 1 : 0);
})().catch(e => { console.error(e); process.exit(1); });
