/// `viaduct bench control`: the control plane of a fleet, and the return of the fleet after the
/// bridge was killed.
@NullMarked
package io.viaduct.controlbench;

import org.jspecify.annotations.NullMarked;
