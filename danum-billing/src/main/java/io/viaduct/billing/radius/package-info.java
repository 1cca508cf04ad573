/// RADIUS accounting in and out (ADR 0074).
@NullMarked
package io.viaduct.billing.radius;

import org.jspecify.annotations.NullMarked;
