/// Changes of network: their detection, the probes of the path afterwards, and the measurement of
/// the outage.
@NullMarked
package io.viaduct.cnapt.mobility;

import org.jspecify.annotations.NullMarked;
