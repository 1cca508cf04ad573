/// Results of measurements: tables, goals, and the files that a run writes.
@NullMarked
package io.viaduct.testbed.report;

import org.jspecify.annotations.NullMarked;
