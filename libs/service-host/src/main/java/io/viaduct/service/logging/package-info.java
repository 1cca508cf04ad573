/// Logging without Spring: Logback is configured in code, with readable text or one JSON object per
/// line.
@NullMarked
package io.viaduct.service.logging;

import org.jspecify.annotations.NullMarked;
