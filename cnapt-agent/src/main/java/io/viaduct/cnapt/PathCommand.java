package io.viaduct.cnapt;

import io.viaduct.cnapt.operations.FlowExplanation;
import io.viaduct.cnapt.operations.JsonText;
import io.viaduct.cnapt.tunnel.FlowFilter;
import io.viaduct.service.command.ExitCode;
import io.viaduct.service.operations.UnavailableException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;

/// `cnapt path explain FLOW`: shows which path a running flow takes, and why.
@Command(
    name = "path",
    description = "Look at the path of one flow.",
    mixinStandardHelpOptions = true,
    subcommands = PathCommand.Explain.class)
final class PathCommand implements Callable<Integer> {
  @Spec CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() {
    throw new ParameterException(spec.commandLine(), "path needs a command: explain");
  }

  @Command(
      name = "explain",
      description = "Print the path of a running flow, since when it is used, and why.",
      mixinStandardHelpOptions = true,
      exitCodeListHeading = "%nExit codes:%n",
      exitCodeList = {
        "0:the agent carries such a flow, or has refused one lately",
        "2:it does not",
        "64:wrong usage",
        "69:no agent answers"
      })
  static final class Explain implements Callable<Integer> {
    @Mixin AgentSocket agent = new AgentSocket();

    @Option(names = "--json", description = "print the JSON document")
    boolean json;

    @Parameters(
        arity = "1..2",
        paramLabel = "FLOW",
        description =
            "the flow's remote address, with its port, and the local port if several have it:"
                + " 198.51.100.7:443 50312, or [2001:db8::7]:443; an address alone means all flows"
                + " to it")
    List<String> flow = List.of();

    @Spec CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws UnavailableException {
      String local = flow.size() > 1 ? flow.get(1) : "";
      try {
        var unused = FlowFilter.of(flow.getFirst(), local);
      } catch (IllegalArgumentException e) {
        throw new ParameterException(spec.commandLine(), e.getMessage(), e);
      }
      String answer = agent.explanation(flow.getFirst(), local);
      FlowExplanation explanation =
          FlowExplanation.of(
              answer, local.isEmpty() ? flow.getFirst() : flow.getFirst() + " from port " + local);
      System.out.print(
          json ? JsonText.of(JsonMapper.shared().readTree(answer)) : explanation.text());
      return explanation.isFound() ? ExitCode.OK : ExitCode.NOT_FOUND;
    }
  }
}
