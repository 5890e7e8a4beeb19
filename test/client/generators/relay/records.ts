// What relay-compiler compiles. Programs import what it has made of it, so nothing runs this file.
import { graphql } from 'relay-runtime';

/** A goal and a document with the same id. */
export const query = graphql`
  query recordsQuery($id: ID!) {
    goal(id: $id) {
      name
      status
    }
    resourceHubDocument(id: $id) {
      name
      currentVersion
    }
    found: resourceHubNodes(text: "same") {
      edges {
        node {
          name
        }
      }
    }
  }
`;

/** A list in pages, as Relay reads it. */
export const list = graphql`
  fragment records_goals on Query
  @refetchable(queryName: "recordsGoalsQuery")
  @argumentDefinitions(count: { type: "Int", defaultValue: 1 }, cursor: { type: "String" }) {
    goals(first: $count, after: $cursor) @connection(key: "records_goals") {
      edges {
        node {
          name
        }
      }
    }
  }
`;

export const change = graphql`
  mutation recordsReopenMutation($input: ReopenGoalInput!) {
    reopenGoal(input: $input) {
      goal {
        status
        isClosed
      }
    }
  }
`;
