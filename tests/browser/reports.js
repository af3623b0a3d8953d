/* Opens reports in Chromium: node reports.js PLAYWRIGHT FOLDER SCREENSHOTS. Ends with 1 where something is wrong. */
'use strict';
const { chromium } = require(process.argv[2]), fs = require('fs'), path = require('path');
const [folder, shots] = process.argv.slice(3);
let wrong = 0;
const check = (claim, words) => { if (!claim) { wrong++; console.error('not true:', words); } };
const pixels = page => page.evaluate(() => document.getElementById('stage') && document.getElementById('stage').toDataURL());
const settle = page => page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
(async () => {
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  for (const file of fs.readdirSync(folder).filter(f => f.endsWith('.html')).sort()) {
    const name = path.basename(file, '.html'), page = await browser.newPage({ viewport: { width: 1000, height: 900 } });
    page.on('pageerror', e => check(false, `${name}: ${e.message}`));
    page.on('console', m => check(m.type() !== 'error', `${name}: ${m.text()}`));
    page.on('dialog', d => { check(false, `${name}: a dialog`); d.dismiss(); });
    page.on('request', r => check(r.url().startsWith('file:') || r.url().startsWith('data:'), `${name} asks for ${r.url()}`));
    await page.goto('file://' + path.join(folder, file));
    const state = () => page.evaluate(() => window.report.state()), drawn = await pixels(page);
    check(await page.locator('svg.figure').count() > 0, `${name}: figures`);
    if (name !== 'animated') check(await page.locator('math').count() > 0 || (await page.locator('body').innerText()).includes('mech derive prints them'), `${name}: equations`);
    /* the time bar moves the picture, and a line in the figures */
    const before = await page.evaluate(() => document.querySelector('.cursor').getAttribute('d'));
    await page.evaluate(() => { const bar = document.getElementById('time'); bar.value = 500; bar.dispatchEvent(new Event('input')); });
    await settle(page);
    if (drawn && name !== 'bicycle') check(await pixels(page) !== drawn, `${name}: the picture does not move`);
    check(await page.evaluate(() => document.querySelector('.cursor').getAttribute('d')) !== before, `${name}: the cursor does not move`);
    /* keys */
    await page.locator('h1').click();
    const at = (await state()).frame;
    await page.keyboard.press('ArrowRight');
    check((await state()).frame === at + 1, `${name}: the right arrow`);
    await page.keyboard.press('Home');
    check((await state()).frame === 0, `${name}: Home`);
    await page.keyboard.press(' ');
    await page.waitForTimeout(250);
    await page.keyboard.press(' ');
    const played = await state();
    check(played.time > 0 && !played.running, `${name}: space plays and pauses`);
    await page.keyboard.press('End');
    check(!(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)), `${name}: wider than the window`);
    await page.evaluate(() => scrollTo(0, 0));
    await page.screenshot({ path: path.join(shots, name + '.png') });
    await page.emulateMedia({ colorScheme: 'dark' });
    const dark = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    check(dark !== 'rgb(255, 255, 255)', `${name}: dark mode`);
    if (name === 'hoop-on-cylinder') {
      /* the numbers: the last frame of the page beside the last row of the file, and the account beside the command's */
      const rows = fs.readFileSync(path.join(folder, 'hoop.csv'), 'utf8').trim().split('\n'), last = rows[rows.length - 1].split(',').map(Number);
      const [t, rho, theta] = last, values = await page.evaluate(() => { const d = JSON.parse(document.getElementById('data').textContent), s = d.sets[0]; return [s.t[s.t.length - 1], ...s.draws[1].slice(-4)]; });
      check(Math.abs(values[0] - t) < 1e-8, 'the last time');
      check(Math.abs(values[1] - rho * Math.sin(theta)) < 1e-4 && Math.abs(values[2] - rho * Math.cos(theta)) < 1e-4, 'where the hoop is at the end');
      const account = fs.readFileSync(path.join(folder, 'hoop.txt'), 'utf8').match(/steps .*/)[0];
      check((await page.locator('body').innerText()).includes(account), 'the account of the run');
    }
    if (name === 'names') check((await page.locator('body').innerText()).includes('</script><script>alert(1)</script>'), 'a name is text');
    await page.close();
  }
  await browser.close();
  process.exit(wrong ? 1 : 0);
})().catch(e => { console.error(e); process.exit(1); });
