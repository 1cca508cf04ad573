/// Billing, bridge and a device's user agent side by side on loopback: what a user may do follows
/// what billing says.
@NullMarked
package io.viaduct.testbed.provisioning;

import org.jspecify.annotations.NullMarked;
