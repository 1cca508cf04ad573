package io.viaduct.cnapt.classification;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// Assigns flows to applications. A flow is classified twice: by protocol and port when it is first
/// seen, and again when the owner of its socket is known. Immutable.
public final class Classifier {
  static final String DEFAULT_TCP = "default-tcp";
  static final String DEFAULT_UDP = "default-udp";

  private final List<Application> applications;
  private final List<Rule> rules;
  private final Application[] decisions;
  private final Application defaultTcp;
  private final Application defaultOther;

  Classifier(List<Application> applications, List<Rule> rules) {
    this.applications = List.copyOf(applications);
    this.rules = List.copyOf(rules);
    this.decisions =
        rules.stream().map(rule -> named(rule.application())).toArray(Application[]::new);
    this.defaultTcp = named(DEFAULT_TCP);
    this.defaultOther = named(DEFAULT_UDP);
  }

  /// Returns all applications; the position is the index on the wire.
  public List<Application> applications() {
    return applications;
  }

  /// Returns the names of all applications, in the order of their index on the wire.
  public List<String> names() {
    return applications.stream().map(Application::name).toList();
  }

  /// Returns the application of a flow.
  ///
  /// @param process the kernel's name of the process that owns the socket, null while it is unknown
  public Application classify(FlowIdentity flow, @Nullable String process) {
    for (int i = 0; i < decisions.length; i++) {
      if (rules.get(i).holds(flow, process)) {
        return decisions[i];
      }
    }
    return flow.protocol() == FlowIdentity.TCP ? defaultTcp : defaultOther;
  }

  private Application named(String name) {
    for (Application application : applications) {
      if (application.name().equals(name)) {
        return application;
      }
    }
    throw new IllegalArgumentException("application '" + name + "' must be in the table");
  }
}
