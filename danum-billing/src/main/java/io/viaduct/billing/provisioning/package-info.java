/// Users: accounts with their SIP credentials and devices, and the stream of subscribers to the
/// bridges.
@NullMarked
package io.viaduct.billing.provisioning;

import org.jspecify.annotations.NullMarked;
