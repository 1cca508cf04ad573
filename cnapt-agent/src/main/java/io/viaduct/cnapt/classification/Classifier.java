package io.viaduct.cnapt.classification;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
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

  /// Returns the headers that the rules of an application match, of those rules that name no
  /// process. A rule without a protocol matches TCP and UDP.
  public List<HeaderMatch> headerMatches(String application) {
    List<HeaderMatch> matches = new ArrayList<>();
    for (Rule rule : rules) {
      if (rule.application().equals(application) && rule.process().isEmpty()) {
        List<Integer> protocols =
            rule.protocol() == 0
                ? List.of(FlowIdentity.TCP, FlowIdentity.UDP)
                : List.of(rule.protocol());
        for (int protocol : protocols) {
          for (Optional<PortRange> port : orAny(rule.ports())) {
            orAny(rule.localPorts())
                .forEach(local -> matches.add(new HeaderMatch(protocol, port, local)));
          }
        }
      }
    }
    return List.copyOf(matches);
  }

  /// Returns all flows by the rule that gives them their application. A rule that asks for
  /// processes has an entry for each one that other rules before it match.
  public List<ApplicationFlows> flows() {
    List<ApplicationFlows> flows = new ArrayList<>();
    List<HeaderSet> headers = rules.stream().map(Rule::headers).toList();
    for (int i = 0; i < decisions.length; i++) {
      HeaderSet of = headers.get(i);
      if (rules.get(i).process().isEmpty()) {
        flows.add(new ApplicationFlows(decisions[i], null, of, before(i, null, headers, of)));
      }
      Set<List<HeaderSet>> known = new HashSet<>();
      for (String process : new TreeSet<>(rules.get(i).process())) {
        List<HeaderSet> without = before(i, process, headers, of);
        if (known.add(without)) {
          flows.add(new ApplicationFlows(decisions[i], process, of, without));
        }
      }
    }
    for (boolean isTcp : new boolean[] {true, false}) {
      HeaderSet of =
          isTcp ? Rule.headers(FlowIdentity.TCP) : Rule.headersExceptOf(FlowIdentity.TCP);
      flows.add(
          new ApplicationFlows(
              isTcp ? defaultTcp : defaultOther,
              null,
              of,
              before(decisions.length, null, headers, of)));
    }
    return List.copyOf(flows);
  }

  private List<HeaderSet> before(
      int rule, @Nullable String process, List<HeaderSet> headers, HeaderSet of) {
    return IntStream.range(0, rule)
        .filter(i -> rules.get(i).asksFor(process))
        .mapToObj(headers::get)
        .filter(of::meets)
        .toList();
  }

  /// Returns the flows that have an application, for a person: the criteria of its rules.
  public String described(String application) {
    List<String> criteria =
        new ArrayList<>(
            rules.stream()
                .filter(rule -> rule.application().equals(application))
                .map(Rule::described)
                .toList());
    if (application.equals(DEFAULT_TCP)) {
      criteria.add("flows of tcp that no rule matches");
    } else if (application.equals(DEFAULT_UDP)) {
      criteria.add("flows of other protocols that no rule matches");
    }
    return criteria.isEmpty() ? "no rule" : String.join("; or ", criteria);
  }

  private static List<Optional<PortRange>> orAny(List<PortRange> ranges) {
    return ranges.isEmpty()
        ? List.of(Optional.empty())
        : ranges.stream().map(Optional::of).toList();
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
