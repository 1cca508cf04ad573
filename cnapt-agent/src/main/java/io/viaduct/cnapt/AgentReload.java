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

  /// Returns the keys that a running agent with a peer can change.
  static List<Reloading<CnaptConfiguration>> peerParts(PeerAgent agent) {
    return List.of(
        new Reloading<>(
            true,
            List.of("applications"),
            next -> agent.classify(Applications.classifier(next.applications()))),
        new Reloading<>(
            List.of("policy"),
            next ->
                agent.distribute(policy("", next, Applications.classifier(next.applications())))),
        new Reloading<>(List.of("links"), next -> agent.links(LinkRules.of(next.links()))),
        new Reloading<>(
            List.of("logging.level"), next -> () -> ProcessLogging.level(next.logging().level())));
  }

  /// Returns the keys that a running agent can change. All other keys take effect at the next
  /// start.
  static List<Reloading<CnaptConfiguration>> parts(Agent agent) {
    // These parts are always applied, because a fast start reads the files before they can be
    // compared.
    return List.of(
        new Reloading<>(true, List.of("trust"), next -> agent.trust(next.trust().orElseThrow())),
        new Reloading<>(
            true,
            List.of("applications"),
            next -> agent.classify(Applications.classifier(next.applications()))),
        new Reloading<>(
            List.of("policy"),
            next ->
                agent.distribute(policy("", next, Applications.classifier(next.applications())))),
        new Reloading<>(List.of("links"), next -> agent.links(LinkRules.of(next.links()))),
        new Reloading<>(
            List.of("logging.level"), next -> () -> ProcessLogging.level(next.logging().level())));
  }
}
