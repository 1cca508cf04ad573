/// Users and devices as billing tells them: the stream of changes, the copy on disk, the question
/// for a new device (ADR 0025).
@NullMarked
package io.viaduct.bridge.provisioning;

import org.jspecify.annotations.NullMarked;
