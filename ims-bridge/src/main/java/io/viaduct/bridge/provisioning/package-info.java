/// Users and devices from billing: the stream of changes, the copy on disk, and the request to bind
/// a new device (ADR 0025).
@NullMarked
package io.viaduct.bridge.provisioning;

import org.jspecify.annotations.NullMarked;
