// Find: every word must occur in a node's scope, type, class or role. The most energy comes first.
import { CLASS_WORDS, type EnergyTree } from './energy_tree';

export function find(tree: EnergyTree, text: string): number[] {
  const words = text.toLowerCase().split(/\s+/).filter((word) => word !== '');
  if (words.length === 0) return [];
  return tree.nodes
    .filter((node) => {
      const hay = `${node.scope} ${node.name} ${node.type} ${CLASS_WORDS[node.cls]} ${node.role}`.toLowerCase();
      return words.every((word) => hay.includes(word));
    })
    .sort((a, b) => b.energy - a.energy || a.id - b.id)
    .map((node) => node.id);
}
