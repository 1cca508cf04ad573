/// `viaduct chaos`: the whole system under load, with faults at seeded points, and its bill
/// compared with an independent count of the bytes.
@NullMarked
package io.viaduct.testbed.chaos;

import org.jspecify.annotations.NullMarked;
