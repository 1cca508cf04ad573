/// Logs of a process without Spring: Logback set up in code, as text for people or as one JSON
/// object per line for collectors.
@NullMarked
package io.viaduct.service.logging;

import org.jspecify.annotations.NullMarked;
