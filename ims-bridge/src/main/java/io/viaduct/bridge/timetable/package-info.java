/// Times at which something is due.
@NullMarked
package io.viaduct.bridge.timetable;

import org.jspecify.annotations.NullMarked;
