/// The operator's online charging system owns the money (Diameter Ro as a client, ADR 0075).
@NullMarked
package io.viaduct.billing.ro;

import org.jspecify.annotations.NullMarked;
