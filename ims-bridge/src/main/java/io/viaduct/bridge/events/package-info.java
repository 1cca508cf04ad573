/// Event packages that tell users about themselves (RFC 6665): `reg` and `viaduct-account`.
@NullMarked
package io.viaduct.bridge.events;

import org.jspecify.annotations.NullMarked;
