/// The first day of an operator, as `docs/operator.md` tells it.
@NullMarked
package io.viaduct.testbed.setup;

import org.jspecify.annotations.NullMarked;
