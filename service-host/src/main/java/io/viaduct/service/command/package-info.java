/// The command line that all processes have in common: exit codes, and how a refusal is told.
@NullMarked
package io.viaduct.service.command;

import org.jspecify.annotations.NullMarked;
