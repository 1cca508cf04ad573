/// HTTP for operators and the web GUI: directory and registrations, read only.
@NullMarked
package io.viaduct.bridge.rest;

import org.jspecify.annotations.NullMarked;
