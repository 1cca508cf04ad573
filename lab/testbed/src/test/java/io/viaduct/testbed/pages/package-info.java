/// The pages as people see them: a real billing with its PostgreSQL, the packaged pages, Chromium.
@NullMarked
package io.viaduct.testbed.pages;

import org.jspecify.annotations.NullMarked;
