package io.viaduct.testbed.deployment;

import io.viaduct.testbed.topology.Topology;
import java.util.ArrayList;
import java.util.List;

/// A user of the packaged command line of billing, with a log-in of its own.
///
/// @param name of the account; its password stands in the run's directory
public record DenariiUser(Deployment deployment, String name) {
  public void logIn() {
    run(
        "login",
        "--user",
        name,
        "--billing",
        "http://%s:%d".formatted(Topology.CONTROL, Plans.BILLING_REST_PORT),
        "--password-file",
        deployment.directory().resolve(name + ".password").toString());
  }

  /// Runs a command.
  ///
  /// @return what it printed
  public String run(String... words) {
    List<String> command =
        new ArrayList<>(
            List.of(
                "env",
                "XDG_CONFIG_HOME=" + deployment.directory().resolve("denarii-" + name),
                "TZ=UTC"));
    command.addAll(deployment.program("denarii"));
    command.addAll(List.of(words));
    return deployment.plans().bridge().namespace().run(command.toArray(String[]::new));
  }
}
