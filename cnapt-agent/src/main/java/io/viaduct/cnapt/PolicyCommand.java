package io.viaduct.cnapt;

import io.viaduct.cnapt.classification.Applications;
import io.viaduct.cnapt.classification.Classifier;
import io.viaduct.cnapt.operations.JsonText;
import io.viaduct.cnapt.policy.FlowQuestion;
import io.viaduct.cnapt.policy.ListedLine;
import io.viaduct.cnapt.policy.PathStatus;
import io.viaduct.cnapt.policy.PlaceQuestion;
import io.viaduct.cnapt.policy.PlacedFlow;
import io.viaduct.cnapt.policy.Policy;
import io.viaduct.cnapt.policy.PolicyAnswer;
import io.viaduct.cnapt.policy.PolicyLine;
import io.viaduct.service.operations.OperationsClient;
import io.viaduct.service.operations.UnavailableException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// `cnapt policy test FLOW` shows the line of the policy that decides about a flow, `cnapt policy
/// lines` all lines.
@Command(
    name = "policy",
    description = "Look at the distribution of flows over the paths.",
    mixinStandardHelpOptions = true,
    subcommands = {PolicyCommand.Lines.class, PolicyCommand.Test.class})
final class PolicyCommand implements Callable<Integer> {
  @Spec CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() {
    throw new ParameterException(spec.commandLine(), "policy needs a command: lines or test");
  }

  @Command(
      name = "lines",
      description = "Print the lines of the configuration, each with a flow that it decides about.",
      mixinStandardHelpOptions = true)
  static final class Lines implements Callable<Integer> {
    @Option(names = "--config", required = true, description = "YAML file")
    Path config = Path.of("");

    @Option(names = "--json", description = "print the JSON list")
    boolean json;

    @Override
    public Integer call() {
      CnaptConfiguration configuration = AgentReload.source(config).read();
      Classifier classifier = Applications.classifier(configuration.applications());
      Policy policy = AgentReload.policy(config + ": ", configuration, classifier);
      if (json) {
        System.out.print(
            JsonText.of(policy.lines().stream().map(line -> ListedLine.of(line, policy)).toList()));
        return 0;
      }
      for (PolicyLine line : policy.lines()) {
        System.out.printf(
            "%s (%s): %s%n", line.place(), line.rule().described(), line.rule().method());
        policy.example(line).ifPresent(flow -> System.out.printf("  such as %s%n", flow));
      }
      return 0;
    }
  }

  @Command(
      name = "test",
      description = "Print the line that decides about a flow, the method and the path.",
      mixinStandardHelpOptions = true)
  static final class Test implements Callable<Integer> {
    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    @Spec CommandSpec spec = CommandSpec.create();

    @Option(names = "--config", required = true, description = "YAML file")
    Path config = Path.of("");

    @Option(names = "--socket", description = "the agent's Unix socket, instead of the file's")
    @Nullable Path socket;

    @Option(names = "--json", description = "print the JSON document")
    boolean json;

    @Parameters(
        arity = "1..*",
        paramLabel = "FLOW",
        description =
            "PROTOCOL LOCAL REMOTE [application=NAME] [process=NAME] [age=T], such as: udp"
                + " 10.0.0.2:5000 198.51.100.7:5060 application=ssh")
    List<String> flow = List.of();

    @Override
    public Integer call() {
      CnaptConfiguration configuration = AgentReload.source(config).read();
      Classifier classifier = Applications.classifier(configuration.applications());
      Policy policy = AgentReload.policy(config + ": ", configuration, classifier);
      FlowQuestion question = question(classifier);
      PolicyAnswer answer =
          answer(question, policy, socket == null ? configuration.statusSocket() : socket);
      System.out.print(json ? JsonText.of(answer) : answer.text());
      return 0;
    }

    private FlowQuestion question(Classifier classifier) {
      try {
        // The flow may be one argument or several.
        String words = String.join(" ", flow).strip();
        return FlowQuestion.of(Arrays.asList(words.split("\\s+")), classifier);
      } catch (IllegalArgumentException e) {
        throw new ParameterException(spec.commandLine(), e.getMessage(), e);
      }
    }

    private static PolicyAnswer answer(FlowQuestion question, Policy policy, Path socket) {
      JsonMapper mapper = JsonMapper.shared();
      JsonNode paths;
      PlacedFlow placed;
      try {
        paths = mapper.readTree(OperationsClient.status(socket, TIMEOUT)).path("paths");
        placed =
            mapper.readValue(
                OperationsClient.act(socket, PlaceQuestion.query(question), TIMEOUT),
                PlacedFlow.class);
      } catch (UnavailableException e) {
        return PolicyAnswer.withoutPaths(question, policy, "no agent answers: " + e.getMessage());
      }
      return PolicyAnswer.of(
          question, policy, placed, Arrays.asList(mapper.treeToValue(paths, PathStatus[].class)));
    }
  }
}
