/// The command line that all processes share: exit codes, and the form of refusals.
@NullMarked
package io.viaduct.service.command;

import org.jspecify.annotations.NullMarked;
