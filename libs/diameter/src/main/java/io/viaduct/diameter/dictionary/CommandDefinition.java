package io.viaduct.diameter.dictionary;

import java.util.List;

/// A command: a request and its answer.
///
/// @param code 0 to 2²⁴−1
/// @param name such as `Accounting`
/// @param proxiable false for the commands between neighbours, whose P bit must be clear
/// @param requestNeeds AVPs without which the request is refused
/// @param answerNeeds AVPs without which the answer is refused
public record CommandDefinition(
    int code,
    String name,
    boolean proxiable,
    List<AvpDefinition> requestNeeds,
    List<AvpDefinition> answerNeeds) {

  public CommandDefinition {
    requestNeeds = List.copyOf(requestNeeds);
    answerNeeds = List.copyOf(answerNeeds);
  }
}
