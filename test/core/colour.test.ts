// Contrast of colours, held against values of the WCAG definition, and the nearest readable colour.
import t from 'tap';
import { contrast, isHexColour, mix, withContrast } from '../../lib/core/colour.js';

t.test('the contrast of two colours is that of WCAG, in either order', async (t) => {
  t.equal(contrast('#000000', '#ffffff'), 21);
  t.equal(contrast('#ffffff', '#ffffff'), 1);
  t.equal(contrast('#767676', '#ffffff').toFixed(2), '4.54');
  t.equal(contrast('#777777', '#ffffff').toFixed(2), '4.48');
  t.equal(contrast('#ffffff', '#ff0000').toFixed(2), '4.00');
  t.equal(contrast('#0000FF', '#FFFFFF').toFixed(2), '8.59');
});

t.test('a colour with enough contrast stays unchanged', async (t) => {
  t.equal(withContrast('#14508C', '#ffffff'), '#14508C');
  t.equal(withContrast('#ffffff', '#000000', 21), '#ffffff');
});

t.test('every colour has a nearest one with the contrast: darker on light, lighter on dark', async (t) => {
  const levels = ['00', '55', 'aa', 'ff'];
  const colours = levels.flatMap((red) =>
    levels.flatMap((green) => levels.map((blue) => `#${red}${green}${blue}`)),
  );
  const problems: string[] = [];
  for (const colour of colours) {
    for (const background of ['#ffffff', '#17202c']) {
      for (const ratio of [4.5, 7]) {
        const nearest = withContrast(colour, background, ratio);
        const reached = contrast(nearest, background);
        // A step of lightness, 0.5 %, changes this contrast by less than 6 %.
        const isNear = nearest === colour || reached < ratio * 1.06;
        if (!isHexColour(nearest) || reached < ratio || !isNear)
          problems.push(`${colour} on ${background}: ${nearest} has ${reached}`);
      }
    }
  }
  t.same(problems, []);
});

t.test('the hue stays', async (t) => {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) =>
    Number.parseInt(withContrast('#ff8000', '#ffffff').slice(start, start + 2), 16),
  );
  t.equal(blue, 0);
  t.ok(Math.abs(green / red - 0.5) < 0.01);
});

t.test('a mixture has its share of each colour', async (t) => {
  t.equal(mix('#000000', '#ffffff', 0.5), '#808080');
  t.equal(mix('#102030', '#ffffff', 1), '#102030');
});
