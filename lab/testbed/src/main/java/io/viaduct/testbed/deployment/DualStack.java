package io.viaduct.testbed.deployment;

import io.viaduct.testbed.topology.Command;
import io.viaduct.testbed.topology.Topology;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Gives the first SNAPT an address of each family, under one name.
public final class DualStack {
  private static final String SNAPT = "snapt-1"; // as its certificate names it

  private DualStack() {}

  /// Names the SNAPT's addresses in a file of hosts that only this laboratory sees.
  ///
  /// @param directory private to this run
  public static void nameSnapt(Path directory) throws IOException {
    String names = "%s %s\n%s %s\n".formatted(Topology.SNAPT_1, SNAPT, Topology.SNAPT_1_6, SNAPT);
    Path hosts = Files.writeString(directory.resolve("hosts"), "127.0.0.1 localhost\n" + names);
    Command.run("mount", "--bind", hosts.toString(), "/etc/hosts");
  }

  /// Returns the plan of a SNAPT that listens at all its addresses, and tells devices its name.
  public static ServicePlan of(ServicePlan snapt) {
    String dual = "control: {listen: \"::\", host: " + SNAPT;
    return snapt.withConfiguration(
        snapt.configuration().replace("control: {host: " + Topology.SNAPT_1, dual));
  }
}
