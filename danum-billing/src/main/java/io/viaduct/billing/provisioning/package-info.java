/// Users in one place: accounts with their SIP credentials and devices, and what bridges are told
/// of them.
@NullMarked
package io.viaduct.billing.provisioning;

import org.jspecify.annotations.NullMarked;
