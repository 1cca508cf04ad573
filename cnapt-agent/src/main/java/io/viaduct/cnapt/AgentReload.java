package io.viaduct.cnapt;

import io.viaduct.cnapt.classification.Applications;
import io.viaduct.cnapt.classification.Classifier;
import io.viaduct.cnapt.control.DeviceIdentity;
import io.viaduct.cnapt.links.LinkRules;
import io.viaduct.cnapt.policy.Policy;
import io.viaduct.service.configuration.ConfigurationException;
import io.viaduct.service.configuration.ConfigurationSource;
import io.viaduct.service.logging.ProcessLogging;
import io.viaduct.service.reload.Reloading;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/// Reads the configuration at SIGHUP: checks it, and applies the keys that a running agent can
/// change.
final class AgentReload {
  private AgentReload() {}

  /// Returns the source of the configuration. It also reads the files that the configuration names.
  static ConfigurationSource<CnaptConfiguration> source(Path file) {
    return ConfigurationSource.of(
        file,
        CnaptConfiguration.class,
        configuration -> {
          Classifier classifier = Applications.classifier(configuration.applications());
          var unused = policy(file + ": ", configuration, classifier);
          DeviceIdentity.read(configuration.deviceKey());
          configuration
              .trust()
              .ifPresent(trust -> new TrustedAuthorities(trust, InstantSource.system()));
          PeerAgent.checkKeys(configuration);
        });
  }

  /// Returns the policy of a configuration, and checks the other keys that name applications.
  ///
  /// @param where beginning of the message: the name of the file, if it is known
  /// @throws ConfigurationException naming the line and the rule
  static Policy policy(String where, CnaptConfiguration configuration, Classifier classifier) {
    try {
      var unused = configuration.outage().selectors(classifier);
      return Policy.of(configuration.policy(), classifier);
    } catch (IllegalArgumentException e) {
      throw new ConfigurationException(where + e.getMessage());
    }
  }

  /// Returns the keys that every running agent can change; one with a peer no others.
  static List<Reloading<CnaptConfiguration>> carryingParts(CarryingAgent agent) {
    return List.of(
        // Always applied, because a fast start reads the file before it can be compared.
        new Reloading<>(
            true,
            List.of("applications"),
            next -> agent.changes().classify(Applications.classifier(next.applications()))),
        new Reloading<>(
            List.of("policy"),
            next ->
                agent
                    .changes()
                    .distribute(policy("", next, Applications.classifier(next.applications())))),
        new Reloading<>(
            List.of("links"), next -> agent.changes().links(LinkRules.of(next.links()))),
        new Reloading<>(
            List.of("logging.level"), next -> () -> ProcessLogging.level(next.logging().level())));
  }

  /// Returns the keys that a running agent of a device can change. All other keys take effect at
  /// the next start.
  static List<Reloading<CnaptConfiguration>> parts(Agent agent) {
    var parts = new ArrayList<Reloading<CnaptConfiguration>>();
    // Always applied, as above.
    parts.add(
        new Reloading<>(true, List.of("trust"), next -> agent.trust(next.trust().orElseThrow())));
    parts.addAll(carryingParts(agent));
    return parts;
  }
}
