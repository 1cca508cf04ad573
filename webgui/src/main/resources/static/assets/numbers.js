// Writes numbers as page.Display does: three significant digits and a unit that fits.
window.viaduct = window.viaduct || {};
viaduct.numbers = (() => {
  'use strict';
  const prefixes = ['n', 'µ', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
  const noPrefix = 3;
  const unknown = '–';
  const nbsp = '\u00a0';

  const grouped = (digits) => {
    const [whole, decimals] = digits.replace('-', '−').split('.');
    const thousands = whole.replace(/\B(?=(\d{3})+(?!\d))/g, '\u202f'); // a comma would be a decimal one to many
    return decimals ? thousands + '.' + decimals : thousands;
  };

  // Digits of a number that is rounded to three of them: zeros at the end stay, and all of an integer.
  const number = (rounded, power) => {
    if (rounded === 0) return '0';
    const exponent = Math.floor(Number(Math.abs(rounded).toExponential().split('e')[1]));
    return grouped((rounded / 10 ** power).toFixed(Math.max(0, 2 - (exponent - power))));
  };

  const write = (value, unit, lowest) => {
    if (!Number.isFinite(value)) return unknown;
    if (value === 0) return '0' + nbsp + unit;
    const rounded = Number(value.toPrecision(3));
    let prefix = lowest;
    while (prefix < prefixes.length - 1 && Math.abs(rounded) >= Number('1e' + (prefix + 1 - noPrefix) * 3)) prefix++;
    const power = (prefix - noPrefix) * 3;
    if (lowest === 0 && Math.abs(rounded) < 1e-9) return (rounded < 0 ? '> −' : '< ') + '1' + nbsp + prefixes[prefix] + unit;
    return number(rounded, power) + nbsp + prefixes[prefix] + unit;
  };

  const money = (microdenarii) => {
    const denarii = Number(microdenarii) / 1e6;
    return Number(Math.abs(denarii).toPrecision(3)) >= 1000
      ? grouped(String(Math.sign(denarii) * Math.round(Math.abs(denarii)))) + nbsp + 'den' : write(denarii, 'den', 0);
  };

  const exact = (microdenarii) => {
    const digits = (microdenarii < 0n ? -microdenarii : microdenarii).toString().padStart(7, '0');
    return (microdenarii < 0n ? '−' : '') + grouped(digits.slice(0, -6)) + '.' + digits.slice(-6) + nbsp + 'den';
  };

  return {
    money,
    exact,
    quantity: (value, unit) => write(value, unit, 0),
    bitRate: (bitPerSecond) => write(bitPerSecond, 'bit/s', noPrefix),
    plain: (value) => (Number.isFinite(value) ? number(Number(value.toPrecision(3)), 0) : unknown),
  };
})();
