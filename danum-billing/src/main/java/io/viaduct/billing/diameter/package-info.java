/// Diameter: the credit-control server for the calls of other nodes (Ro, ADR 0069).
@NullMarked
package io.viaduct.billing.diameter;

import org.jspecify.annotations.NullMarked;
