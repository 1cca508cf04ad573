/// Control groups of version 2 (cgroups(7)), and the mark that sockets of their processes get.
@NullMarked
package io.viaduct.host.cgroup;

import org.jspecify.annotations.NullMarked;
